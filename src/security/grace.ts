/** Milliseconds that an attack, or a shared part of several, may take to end after an abort. */
export const graceMs = 10_000
