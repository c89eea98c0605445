/** Like Promise.all; also when one rejects, none is left under way. */
export async function allDone<T extends readonly unknown[]>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
