"""openipu.rtl.host"""
