"""openipu.sw.ops"""
