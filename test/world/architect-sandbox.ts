import { killArchitectSandbox } from '../scenarios/world/interrupt.ts'
import type { Fixture, MemoryFixture } from './fixture.ts'

const sessions = (fixture: Fixture) =>
  'machine' in fixture ? (fixture as MemoryFixture).machine.sandbox.showing('/mnt/coders/coder-001') : null

/** Ends the sandbox from outside. */
export function endArchitectSandbox(fixture: Fixture): void {
  const open = sessions(fixture)
  if (open === null) {
    killArchitectSandbox(fixture)
    return
  }
  if (open.length === 0) throw new Error('there is no architect’s sandbox')
  for (const session of open) session.end()
}
