"""Published feature maps put to the test: what each needs to solve minimum inner product on the cube.

One short file a map; `registry.py` lists them. To add one, write a file with a `PublishedMap` and add it to the list there.
"""
