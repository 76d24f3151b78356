"""openipu.rtl"""

if __name__ != "openipu.rtl":
    raise ImportError("import openipu.rtl, not a bare rtl")
