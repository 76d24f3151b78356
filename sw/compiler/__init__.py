"""openipu.sw.compiler"""
