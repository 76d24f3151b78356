"""openipu.sw.profile"""
