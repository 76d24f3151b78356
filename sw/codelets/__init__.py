"""openipu.sw.codelets"""
