/** Milliseconds that an attack, or what several share, may take to end once it is told to. */
export const graceMs = 10_000
