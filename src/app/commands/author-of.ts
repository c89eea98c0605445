import type { Drydock } from '../drydock.ts'

/** Who gives a command, for people: on a hub whose token it is, else the author of commits. */
export async function authorOf({ userRepository }: Drydock, by: string | null): Promise<string> {
  return by ?? (await userRepository.author().catch(() => null))?.name ?? 'the user'
}
