"""openipu.rtl.floating"""
