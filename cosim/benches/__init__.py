"""openipu.cosim.benches"""
