import type { ContainerClient } from './client.ts'

/** Whatever state it is in. Killed first: `rm` alone asks it to end and waits for long. */
export async function removeContainer(client: ContainerClient, name: string): Promise<void> {
  await client.run(['kill', name])
  await client.run(['rm', '--force', '--volumes', name])
}
