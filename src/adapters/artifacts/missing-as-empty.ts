/** Treats a missing folder as empty, since folders are made when they are first needed. */
export function missingAsEmpty(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
