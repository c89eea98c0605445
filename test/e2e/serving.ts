import { readFileSync } from 'node:fs'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'

export interface ServingProcess extends Running {
  /** The link for the browser; it works once. */
  readonly link: string
  readonly port: string
}

/** `drydock serve` as a separate process. */
export async function serveApart(fixture: Fixture, ...flags: readonly string[]): Promise<ServingProcess> {
  const running = launch(['serve', '--repo', fixture.repo, '--json', ...flags], { env: fixture.env })
  const { link } = JSON.parse(await running.line(/"type":"serving"/)) as { readonly link: string }
  return { ...running, link, port: new URL(link).port }
}

/** This machine's connections to a port, as the kernel lists them on the server's side. */
export function connectionsTo(port: string): number {
  const local = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
  return lines.filter((line) => {
    const [, own, , state] = line.trim().split(/\s+/)
    return own === local && state === '01'
  }).length
}
