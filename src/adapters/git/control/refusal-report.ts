import type { RefChange } from '../../../domain/hub/ref-rights.ts'
import type { PushCommands } from './read-commands.ts'

export interface RefusedChange extends RefChange {
  /** The reason in a few words, for people. */
  readonly why: string
}

/** The answer that git would give to a push that it refuses entirely. */
export function refusalReport({ capabilities }: PushCommands, changes: readonly RefusedChange[]): Buffer {
  if (!capabilities.some((each) => each === 'report-status' || each === 'report-status-v2')) return packet('')
  const lines = ['unpack ok\n', ...changes.map(({ ref, why }) => `ng ${ref} ${why}\n`)]
  const report = Buffer.concat([...lines.map(packet), packet('')])
  const isMultiplexed = capabilities.includes('side-band-64k') || capabilities.includes('side-band')
  if (!isMultiplexed) return report
  return Buffer.concat([...pieces(report).map((piece) => packet(Buffer.concat([Buffer.of(1), piece]))), packet('')])
}

/** A line of git's packet format; an empty content makes a flush. */
function packet(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string)
  if (bytes.length === 0) return Buffer.from('0000')
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** Pieces that fit into the smaller of the two side bands. */
function pieces(report: Buffer): readonly Buffer[] {
  const most = 990
  return Array.from({ length: Math.ceil(report.length / most) }, (_, i) => report.subarray(i * most, (i + 1) * most))
}
