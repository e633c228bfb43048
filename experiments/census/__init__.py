"""What published models do with the scale of attention: their code, read and
counted.
"""
