#!/bin/sh
# recorded_card.sh - recorded_card.sh LAB: the card whose rows the lab's pages show: the H200 where its recorded counters
# are of the lab, too, else the H100.
card=nvidia-h200
grep -q "^$1," "data/reference/$card/profile.csv" || card=nvidia-h100
echo "$card"
