int from_block = 11 + t14_one;
