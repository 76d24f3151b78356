"""openipu.cosim.golden"""
