#!/usr/bin/env python3
"""Runs a server of this folder with its clock wrong: to it, this machine's clock is.

usage: skewed.py [the server's options] SECONDS SERVER [more of them]      SECONDS: how far its clock is ahead
"""
import os
import runpy
import sys
import time

right = time.time
options = sys.argv[1:]
place = next(index for index, word in enumerate(options) if not word.startswith("--"))
ahead, server = float(options[place]), options[place + 1]
time.time = lambda: right() + ahead
sys.argv = [os.path.join(os.path.dirname(os.path.abspath(__file__)), server), *options[:place], *options[place + 2:]]
runpy.run_path(sys.argv[0], run_name="__main__")
