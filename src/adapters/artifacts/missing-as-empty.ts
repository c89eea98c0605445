/** For a folder that is made when it is first needed. */
export function missingAsEmpty(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
