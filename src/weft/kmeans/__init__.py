"""The closed-form family: seeding, centres, weights, constraints, the alternation."""
