# examples/guides/claims-from-a-service/claim.py
import json, os, ssl, urllib.error, urllib.request

CLAIMS = os.environ["CLAIMS"]
HEADERS = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
TLS = ssl.create_default_context(cafile="ca.crt")


def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, HEADERS, method=method)
    return urllib.request.urlopen(request, context=TLS, timeout=40)


def claim_seats(order, amount):
    consumer = {"apiGroup": "resourcemanager.miloapis.com", "kind": "Organization", "name": "zeta-corp"}
    spec = {"consumerRef": consumer, "requests": [{"resourceType": "crm.example.com/seats", "amount": amount}]}
    try:
        call("POST", CLAIMS, {
            "apiVersion": "quota.miloapis.com/v1alpha1",
            "kind": "ResourceClaim",
            "metadata": {"name": order},
            "spec": spec,
        })
    except urllib.error.HTTPError as error:
        if error.code != 409:  # created by an earlier try
            raise
    with call("GET", f"{CLAIMS}?watch=true&timeoutSeconds=30&fieldSelector=metadata.name={order}") as changes:
        for line in changes:
            for condition in json.loads(line)["object"].get("status", {}).get("conditions", []):
                if condition["type"] == "Granted" and condition["reason"] != "PendingEvaluation":
                    return condition
    raise TimeoutError("no decision in 30 seconds; it is safe to call again")


print(claim_seats("order-1006", 2)["message"])
print(claim_seats("order-1007", 200)["message"])
for order in ("order-1006", "order-1007"):
    call("DELETE", f"{CLAIMS}/{order}")
