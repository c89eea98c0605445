import { excludedPatterns } from '../../domain/story/context-folder.ts'
import { writeChanged } from '../../files/write-whole.ts'
import type { Layout } from './layout.ts'

/**
 * Writes the configuration that replaces the user's and the system's wherever Drydock runs git on
 * its own directories.
 */
export async function writeOwnConfig(layout: Layout): Promise<void> {
  await writeChanged(layout.excludes, excludedPatterns)
  await writeChanged(layout.config, ownConfig(layout))
}

/**
 * New objects are not compressed, since that takes many times as long as writing them. Objects in
 * the user's packs stay as they are.
 */
function ownConfig(layout: Layout): string {
  return `[safe]
	directory = *
[gc]
	auto = 0
[maintenance]
	auto = false
[core]
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	attributesFile = /dev/null
	excludesFile = ${JSON.stringify(layout.excludes)}
	autocrlf = false
	safecrlf = false
	quotePath = false
	logAllRefUpdates = false
	protectHFS = true
	protectNTFS = true
	commitGraph = false
	compression = 0
	bigFileThreshold = 64m
	fsyncMethod = batch
	fsync = committed,loose-object,reference
[protocol]
	version = 2
[protocol "file"]
	allow = always
[protocol "ext"]
	allow = never
[fetch]
	recurseSubmodules = false
	writeCommitGraph = false
[submodule]
	recurse = false
[diff]
	ignoreSubmodules = all
	external =
[credential]
	helper =
[commit]
	gpgSign = false
[tag]
	gpgSign = false
[advice]
	detachedHead = false
	addEmbeddedRepo = false
[user]
	name = Drydock
	email = drydock@localhost
	useConfigOnly = true
`
}
