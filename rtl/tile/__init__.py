"""openipu.rtl.tile"""
