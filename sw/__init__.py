"""openipu.sw"""

if __name__ != "openipu.sw":
    raise ImportError("import openipu.sw, not a bare sw")
