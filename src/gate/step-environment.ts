import { insideArtifacts } from './inside.ts'

/** ARTIFACT_DIR's folder for temporary files, as the steps see it. */
export const stepTemporary = `${insideArtifacts}/tmp`

const cache = `${insideArtifacts}/cache`

/**
 * Tells package managers that they are offline, so that they fail at once instead of retrying for
 * minutes.
 */
export const offlineEnvironment = {
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  CARGO_NET_OFFLINE: 'true',
  GOPROXY: 'off',
  PIP_NO_INDEX: '1',
}

/**
 * Tells task runners to run each task, whatever their caches contain from an earlier run, the
 * commit or `prepare`: a repeated result says nothing about this commit.
 */
const runEnvironment = {
  TURBO_FORCE: 'true',
  NX_SKIP_NX_CACHE: 'true',
  WIREIT_CACHE: 'none',
  MOON_CACHE: 'off',
  RUSH_BUILD_CACHE_ENABLED: '0',
}

/** The environment of a prepare step, whose caches are deleted with `scratch`. */
export function prepareEnvironment(scratch: string): Readonly<Record<string, string>> {
  return { ...commonEnvironment, ...cacheEnvironment(scratch), TMPDIR: scratch, npm_config_update_notifier: 'false' }
}

const commonEnvironment = { CI: '1' }

/** Directs the caches of tools, which can all be rebuilt, into one folder. */
function cacheEnvironment(cache: string): Readonly<Record<string, string>> {
  return {
    XDG_CACHE_HOME: cache,
    npm_config_cache: `${cache}/npm`,
    YARN_CACHE_FOLDER: `${cache}/yarn`,
    PIP_CACHE_DIR: `${cache}/pip`,
    GOCACHE: `${cache}/go-build`,
  }
}

/**
 * The environment of a verification step, equal in each run: test mode, so that nothing is updated
 * or installed on the way, and every cache that a tool would put into the read-only repository or
 * the home directed into ARTIFACT_DIR.
 */
export const stepEnvironment: Readonly<Record<string, string>> = {
  ...commonEnvironment,
  ...cacheEnvironment(cache),
  ARTIFACT_DIR: insideArtifacts,
  TMPDIR: stepTemporary,
  // Snapshots and lock files must not be updated.
  INSTA_UPDATE: 'no',
  UPDATE_SNAPSHOTS: '0',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'true',
  ...offlineEnvironment,
  ...runEnvironment,
  // With a count, `go test` repeats no earlier result.
  GOFLAGS: '-mod=readonly -count=1',
  PYTHONPYCACHEPREFIX: `${cache}/pycache`,
  // Otherwise one file that cannot be imported would hide the tests of all others.
  PYTEST_ADDOPTS: `-o 'cache_dir=${cache}/pytest' --continue-on-collection-errors`,
  CARGO_TARGET_DIR: `${insideArtifacts}/build/cargo`,
  COVERAGE_FILE: `${insideArtifacts}/build/.coverage`,
}
