"""openipu.cosim"""

if __name__ != "openipu.cosim":
    raise ImportError("import openipu.cosim, not a bare cosim")
