"""What to ask a tracker and how to read its answers: pure; nothing here touches the network, a file or the clock."""
