import type { Installation } from '../installation.ts'

/**
 * The name to show as the author of a command: on a hub the name of the token, otherwise the author
 * of commits.
 */
export async function authorOf(
  { userRepository }: Pick<Installation, 'userRepository'>,
  by: string | null,
): Promise<string> {
  return (await authorName({ userRepository }, by)) ?? 'the user'
}

/** The same name; null where the machine's user has none. */
export async function authorName(
  { userRepository }: Pick<Installation, 'userRepository'>,
  by: string | null,
): Promise<string | null> {
  return by ?? (await userRepository.author().catch(() => null))?.name ?? null
}
