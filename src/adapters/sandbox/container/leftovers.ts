import { rm } from 'node:fs/promises'
import { filledLines } from '../../../domain/text.ts'
import type { ContainerClient } from './client.ts'
import { containerFolder } from './container-folder.ts'
import { removeOverlayVolumes } from './overlay-volumes.ts'
import { isDead, ownerLabel } from './owner.ts'
import { removeContainer } from './remove-container.ts'

/**
 * Removes containers of processes that were killed before they could remove them; containers of
 * running processes stay.
 */
export async function removeLeftovers(client: ContainerClient): Promise<void> {
  const listed = await client.run(['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${ownerLabel}`])
  const format = `{{.Name}} {{index .Config.Labels "${ownerLabel}"}}`
  for (const id of filledLines(listed.output)) {
    const { output } = await client.run(['container', 'inspect', '--format', format, id])
    // The output is empty if the container ended in the meantime.
    const [, name, owner = ''] = /^\/?(drydock-[0-9a-f]+) (.*)$/.exec(output.trim()) ?? []
    if (name === undefined || !isDead(owner)) continue
    await removeContainer(client, id)
    await removeOverlayVolumes(client, name)
    await rm(containerFolder(name), { recursive: true, force: true })
  }
}
