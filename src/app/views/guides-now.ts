import type { ToldFile } from '../../domain/guide/guide.ts'
import type { Installation } from '../installation.ts'
import type { WorkOptions } from '../work-options.ts'

/** The guides that agents of a Run would receive if it started now. */
export async function readGuidesNow(
  { guides, user, userRepository }: Pick<Installation, 'guides' | 'user' | 'userRepository'>,
  options: WorkOptions,
): Promise<readonly ToldFile[]> {
  const sha = await userRepository.commitOf(options.target ?? user.target ?? null)
  const [{ told }, below] = await Promise.all([guides.of(sha), guides.below(sha)])
  return [...told, ...below]
}
