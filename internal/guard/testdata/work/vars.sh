COLOUR=blue
