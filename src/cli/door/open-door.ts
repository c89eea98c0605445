import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Installation } from '../../app/installation.ts'
import { exposedSockets } from '../../domain/exposed-sockets.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { edition } from '../../processes/installation.ts'
import { makeSocketFolder, socketPath } from '../../processes/socket-folder.ts'
import type { Context, RunCommand } from '../context.ts'
import { type Door, doorFile } from './door-file.ts'
import { createFarTerminal, type FarTerminal } from './far-host.ts'
import type { Host } from './host.ts'
import { type HandedCommand, onLines } from './lines.ts'
import { createOpenings } from './openings.ts'

const columns = z.int().min(0).nullable()

const handSchema: z.ZodType<{ hand: HandedCommand }> = z.object({
  hand: z.object({
    edition: z.string(),
    argv: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    columns: z.object({ stdout: columns, stderr: columns }),
  }),
})

/**
 * Opens the door for as long as this process works on a state. The work continues if that fails.
 */
export function doorBeside({ output, runCommand }: Context, drydock: Pick<Installation, 'repository' | 'state'>) {
  if (runCommand === undefined) return null
  let opening: ReturnType<typeof openDoor> | null = null
  return {
    begin() {
      opening = openDoor(drydock, runCommand)
      opening.catch((error: unknown) => {
        output.note(`Commands are not taken over: ${error instanceof Error ? error.message : error}`)
      })
    },
    async end() {
      const door = await opening?.catch(() => null)
      await door?.close()
    },
  }
}

/**
 * Takes commands for this repository from other processes of the user and does them here, where all
 * code is loaded. Their output and exit codes are the same as in those processes. Closing returns
 * unfinished commands to them. Throws DrydockError `bad_config`.
 */
async function openDoor(
  drydock: Pick<Installation, 'repository' | 'state'>,
  runCommand: RunCommand,
): Promise<{ close(): Promise<void> }> {
  const { repository, state } = drydock
  const door: Door = { repository, socket: socketPath(state, 'door'), edition: edition() }
  const openings = createOpenings(repository)
  const sockets = new Map<Socket, FarTerminal | null>()

  function take(socket: Socket, hand: HandedCommand): FarTerminal {
    const open: Host['open'] = async (opening) => {
      const opened = await openings(opening)
      // A command for another state, or for a hub, is returned to the process where it was typed.
      if (opened.state !== state || opened.user.hubs[repository] !== undefined) {
        far.leave()
        throw new Error('The command is done by the process that it was given in.')
      }
      return opened
    }
    const far = createFarTerminal(socket, hand, open)
    void runCommand(hand.argv, far.terminal).then(far.end, far.leave)
    return far
  }

  if (!(await makeSocketFolder(dirname(door.socket)))) throw exposedSockets(dirname(door.socket))
  await rm(door.socket, { force: true })
  const server = createServer((socket) => {
    sockets.set(socket, null)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    onLines(socket, (said) => {
      const far = sockets.get(socket)
      if (far) return far.hear(said)
      const { hand } = handSchema.parse(said)
      if (hand.edition === door.edition) sockets.set(socket, take(socket, hand))
      else socket.destroy()
    })
  })
  const file = join(state, doorFile)
  async function close() {
    for (const [socket, far] of sockets) {
      if (far === null) socket.destroy()
      else far.leave()
    }
    server.close()
    await rm(file, { force: true })
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(door.socket, resolve))
  try {
    await chmod(door.socket, 0o600)
    await writeWhole(file, JSON.stringify(door), { mode: 0o600 })
  } catch (error) {
    // An unpublished server would keep the process from ending.
    await close()
    throw error
  }
  return { close }
}
