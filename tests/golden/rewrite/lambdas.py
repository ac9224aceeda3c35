clip = lambda x, low, high: low if x < low else high if x > high else x
