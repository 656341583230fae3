// Placeholder until the suite has its first test.
