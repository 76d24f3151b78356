"""openipu.rtl.exchange"""
