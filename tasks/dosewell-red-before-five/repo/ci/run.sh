#!/bin/sh
# What has to be green before a deploy. The auditor has a copy of this file.
set -e
cd "$(dirname "$0")/.."
python3 -m dosewell check
python3 -m pytest
