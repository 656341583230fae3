// Placeholder until the target has its first type.
