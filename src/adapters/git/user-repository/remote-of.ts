import { filledLines } from '../../../domain/text.ts'
/** A remote of a repository: the one of its branch, or `origin`, or another. */
export async function remoteOf(
  run: (args: readonly string[], exits?: readonly number[]) => Promise<{ readonly stdout: Buffer }>,
): Promise<string | null> {
  const names = filledLines((await run(['remote'])).stdout.toString('utf8'))
  const head = (await run(['symbolic-ref', '--quiet', '--short', 'HEAD'], [1, 128])).stdout.toString('utf8').trim()
  const upstream = await run(['config', '--get', `branch.${head}.remote`], [1])
  const chosen = [upstream.stdout.toString('utf8').trim(), 'origin'].find((name) => names.includes(name))
  return chosen ?? names[0] ?? null
}
