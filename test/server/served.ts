import type { Drydock } from '../../src/app/drydock.ts'
import { openDashboard } from '../../src/cli/commands/dashboard.ts'
import type { CommonOptions } from '../../src/cli/context.ts'
import { createOutput } from '../../src/cli/screen/output.ts'
import type { Owner } from '../../src/ports/owner.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { type Page, signIn } from './browser.ts'

export interface ServedDrydock {
  readonly drydock: Drydock
  readonly port: number
  readonly link: string
  readonly page: Page
  close(): Promise<void>
}

/** Serves the dashboard of a fixture in this process, on a free port, and opens it. */
export async function serveHere(fixture: Fixture, options: CommonOptions = {}): Promise<ServedDrydock> {
  const { env, stdout, stderr } = { env: fixture.env, stdout: process.stdout, stderr: process.stderr }
  const context = { terminal: { env, stdout, stderr }, output: createOutput({ env, stdout, stderr }, { json: false }) }
  const drydock = await fixture.open()
  const { url, link, close } = await openDashboard(context, drydock, { ...options, port: 0 })
  return { drydock, link, port: Number(new URL(url).port), page: await signIn(link), close }
}

/** Works on everything in the state, like `serve`. */
export async function ownHere({ drydock }: ServedDrydock, coders = 2): Promise<Owner> {
  const owner = await drydock.own({
    coders,
    onFailure(error) {
      throw error
    },
  })
  if (owner === null) throw new Error('another process is the owner')
  return owner
}
