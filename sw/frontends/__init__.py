"""openipu.sw.frontends"""
