def price(amount, member, coupon):
    if member:
        if coupon:
            return 0
        amount = amount * 0.9
    total = amount + 5
    return round(total)
