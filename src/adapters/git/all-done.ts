/** Like Promise.all, but waits for all promises even if one rejects. */
export async function allDone<T extends readonly unknown[]>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return await Promise.all(works)
}
