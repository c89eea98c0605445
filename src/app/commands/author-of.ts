import type { Installation } from '../installation.ts'

/** Who gives a command, for people: on a hub whose token it is, else the author of commits. */
export async function authorOf(
  { userRepository }: Pick<Installation, 'userRepository'>,
  by: string | null,
): Promise<string> {
  return by ?? (await userRepository.author().catch(() => null))?.name ?? 'the user'
}
