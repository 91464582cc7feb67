def check(*a): return 0
