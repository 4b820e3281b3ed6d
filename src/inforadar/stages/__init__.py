"""The flow, in this order: discover, diff, canonical, analyze, publish. Each knows the nouns, not the others."""
