#!/bin/sh
# A small trading loop through Countersign: asks what is allowed, places, looks, cancels.
#
# COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.
# It needs curl 7.83 or newer. A bot that does more than this should read JSON by a program made for it.
set -eu

url=${COUNTERSIGN_URL:-http://127.0.0.1:8420}
token=$(cat "${COUNTERSIGN_TOKEN_FILE:-token}")
longest_wait_s=30

# Asks the daemon: `ask PATH`, or with a body and perhaps an idempotency key a POST. Sets body, status, source
# (daemon, venue, or none where nothing came) and retry_after. The token goes in by standard input: others can read
# a command line. The daemon gives the venue 15 of the 20 seconds, and is on this machine: no proxy.
ask() {
  path=$1
  shift
  [ $# -eq 0 ] || set -- --data-binary "$1" -H 'Content-Type: application/json' ${2:+-H "Idempotency-Key: $2"}
  came=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl -sS --noproxy '*' --max-time 20 --config - "$@" \
      -w '\n%{http_code} %header{countersign-source} %header{retry-after}' "$url$path" 2>/dev/null) ||
    came='{"code":"no_answer"}
0 none '
  body=${came%
*}
  IFS=' ' read -r status source retry_after <<END
${came##*
}
END
}

# The first text of a name in the last answer: good for words and ids, which have no quotes in them.
text_of() {
  printf '%s\n' "$body" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

# Ends the bot unless the last answer is what was asked for.
wanted() {
  if [ "${status%??}" != 2 ] || [ "$(text_of code)" != 0 ]; then
    printf '%s\n' "$body" >&2
    exit 1
  fi
}

new_key() {
  printf '%s-%s' "$1" "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
}

# Sends until it is clear what became of it: `send WHAT PATH BODY KEY`. Sets outcome to accepted, refused or unknown.
send() {
  outcome=refused
  # The pause after each send; the last is the last.
  for pause_s in 0.5 1 2 4 ''; do
    ask "$2" "$3" "$4"
    code=$(text_of code)
    case $source:${status%??}:${code:=$status} in
      venue:2:0)
        outcome=accepted
        echo "$1: accepted"
        return
        ;;
      venue:[45]:0 | venue:5:* | none:* | *:upstream_outcome_unknown)
        outcome=unknown
        # The venue saw the same bytes again and refused them, which tells nothing of the first time.
        case $body in *'"venue":'*) break ;; esac
        [ -n "$pause_s" ] || break
        echo "$1: $code, again under the same key"
        sleep "$pause_s"
        ;;
      venue:[24]:*)
        outcome=refused
        break
        ;;
      *)
        # limit_exhausted, a spent rate budget and the like, where there is a time; else it stays refused.
        [ "${retry_after:-999}" -le "$longest_wait_s" ] || break
        echo "$1: $code, again in $retry_after s"
        sleep "$retry_after"
        ;;
    esac
  done
  echo "$1: $code, $(text_of msg)"
}

# Sets order to the largest one at a price that policy lets us place, or to nothing.
allow() {
  for quantity in 0.6 0.3 0.1; do
    key=$(new_key bot)
    order='{"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "'$1'", "quantity": "'$quantity'",
      "client_order_id": "'$key'"}'
    ask /check/v1/trade/orders "$order"
    wanted
    # What else it may be, placing it will tell.
    case $body in *'"refusal":{"code":"policy_denied"'*) ;; *) return ;; esac
    reason=$(text_of reason)
    echo "check $quantity: policy_denied, $reason"
    case $reason in quantity_over_max | notional_over_max) ;; *) break ;; esac
  done
  order=
}

# Places the order, once. Sets order_id to that of what is open then, or to nothing.
place() {
  send "place $quantity" /v1/trade/orders "$order" "$key"
  order_id=
  [ "$outcome" != accepted ] || order_id=$(text_of order_id)
  ask "/records?idempotency_key=$key"
  wanted
  state=$(text_of state)
  echo "record: ${state:-none}"
  [ "$outcome" != unknown ] || find_open
}

# Looks at the venue until the order is open there, or can't be accepted any more.
find_open() {
  expires_after=$(printf '%s\n' "$body" | grep -o '"expires_after":[0-9]*' | head -n 1 | cut -d : -f 2)
  is_last=
  while [ -z "$is_last" ]; do
    [ "$(date +%s)000" -le "${expires_after:-0}" ] || is_last=1
    # One page; a bot with more open orders turns pages.
    ask '/v1/trade/open-orders?limit=100'
    wanted
    body=$(printf '%s\n' "$body" | tr '{' '\n' | grep -F "$key" || true)
    order_id=$(text_of order_id)
    if [ -n "$order_id" ]; then
      echo 'open at the venue'
      return
    fi
    sleep 0.5
  done
  echo "$key isn't open: it never arrived, or it is filled; look there." >&2
  exit 1
}

# Cancels an order, or ends the bot.
cancel() {
  send cancel /v1/trade/orders/cancel '{"order_id": "'"$1"'"}' "$(new_key cancel)"
  if [ "$outcome" != accepted ]; then
    echo "$1 may still be open; look at the venue." >&2
    exit 1
  fi
}

for price in 63000 62900; do
  allow "$price"
  [ -n "$order" ] || continue
  place
  [ -z "$order_id" ] || cancel "$order_id"
done
