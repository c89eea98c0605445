import type { ContainerClient } from './client.ts'

/**
 * Removes a container in any state. It is killed first, since `rm` alone would wait for it to exit.
 */
export async function removeContainer(client: ContainerClient, name: string): Promise<void> {
  await client.run(['kill', name])
  await client.run(['rm', '--force', '--volumes', name])
}
