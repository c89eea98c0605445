import { expect, test } from 'vitest'
import {
  type FreeSpace,
  hasRoom,
  isRoomy,
  lookAgainMs,
  shortOf,
  spaceTaken,
  spaceToLeave,
} from '../../../src/domain/free-space.ts'

const mebibyte = 1024 ** 2
const disk = (sizeMiB: number, more: Partial<FreeSpace> = {}): FreeSpace => ({
  size: sizeMiB * mebibyte,
  free: sizeMiB * mebibyte,
  files: 1_000_000,
  freeFiles: 1_000_000,
  ...more,
})
const leftMiB = (space: FreeSpace) => Math.round(spaceToLeave(space).bytes / mebibyte)

test.each([
  { what: 'a large disk', space: disk(1_000_000), left: 1_024 },
  { what: 'a disk of 10 GiB', space: disk(10_240), left: 512 },
  // A twentieth of the disk is written between two looks.
  { what: 'a disk of 500 MiB', space: disk(500), left: 125 },
  { what: 'a disk of 100 MiB', space: disk(100), left: 25 },
  { what: 'a large disk that is nearly full', space: disk(1_000_000, { free: 20 * mebibyte }), left: 18 },
])('of $what a command leaves $left MiB', ({ space, left }) => {
  expect(leftMiB(space)).toBe(left)
})

test.each([
  { files: 1_000_000, freeFiles: 1_000_000, left: 10_000 },
  { files: 50_000, freeFiles: 50_000, left: 5_000 },
  { files: 20_000, freeFiles: 20_000, left: 5_000 },
  { files: 20_000, freeFiles: 1_000, left: 900 },
  // A file system that creates inodes on demand counts none.
  { files: 0, freeFiles: 0, left: 0 },
])('of $freeFiles of $files files a command leaves $left', ({ left, ...space }) => {
  expect(spaceToLeave(disk(1_000_000, space)).files).toBe(left)
})

test('the fastest program finds the reserve untouched at the next look, or the next one comes at once', () => {
  const { fastest, shortestLookMs } = { fastest: 4 * mebibyte, shortestLookMs: 5 }
  for (const sizeMiB of [500, 5_000, 500_000]) {
    const left = spaceToLeave(disk(sizeMiB))
    for (let free = sizeMiB * mebibyte; free > left.bytes; free *= 0.97) {
      const ms = lookAgainMs(disk(sizeMiB, { free }), left)
      expect([ms >= 5 && ms <= 500, ms === shortestLookMs || free - ms * fastest >= left.bytes - fastest]).toEqual([
        true,
        true,
      ])
    }
    expect(left.bytes).toBeGreaterThan(shortestLookMs * fastest * 5)
  }
  const files = { files: 20_000, freeFiles: 8_000 }
  expect(lookAgainMs(disk(500_000, files), spaceToLeave(disk(500_000, { files: 20_000, freeFiles: 20_000 })))).toBe(10)
  expect(lookAgainMs(disk(500_000, { files: 0, freeFiles: 0 }), { bytes: 0, files: 0 })).toBe(500)
})

test('the scarce resource is named, and a file system without a count of files lacks none', () => {
  const left = { bytes: 10 * mebibyte, files: 500 }
  expect(shortOf(disk(100, { free: mebibyte }), left)).toBe('bytes')
  expect(shortOf(disk(100, { freeFiles: 499 }), left)).toBe('files')
  expect(shortOf(disk(100, { files: 0, freeFiles: 0 }), left)).toBe(null)
  const before = disk(100, { freeFiles: 20_000 })
  expect(spaceTaken({ before, now: disk(100, { freeFiles: 499 }), left })).toBe(
    'The disk was running out of files (inodes): 20000 could be made when the command began, then 499. A command must leave 500 here, so it was ended',
  )
  expect(spaceTaken({ before, now: disk(100, { free: mebibyte }), left })).toContain('fell from 100.0 MiB to 1.0 MiB')
})

test('there is room to work in long before commands may take some', () => {
  expect(hasRoom(disk(1_000_000, { free: 20 * mebibyte }))).toBe(true)
  expect(hasRoom(disk(1_000_000, { free: 10 * mebibyte }))).toBe(false)
  expect(hasRoom(disk(1_000_000, { files: 20_000, freeFiles: 900 }))).toBe(false)
  expect(hasRoom(disk(1_000_000, { files: 0, freeFiles: 0 }))).toBe(true)
  expect([hasRoom(disk(6)), hasRoom(disk(6, { free: mebibyte }))]).toEqual([true, false])
})

test('a disk is roomy while a command could be run that takes something', () => {
  expect(isRoomy(disk(500))).toBe(true)
  expect(isRoomy(disk(500, { free: 20 * mebibyte }))).toBe(false)
  expect(isRoomy(disk(500_000, { files: 20_000, freeFiles: 100 }))).toBe(false)
  expect(isRoomy(disk(500, { files: 0, freeFiles: 0 }))).toBe(true)
})
