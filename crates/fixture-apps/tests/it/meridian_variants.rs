//! Other tenants: the same console in another skin, and in other formats.

use std::collections::BTreeSet;

use waymark_fixture_apps::Running;
use waymark_fixture_apps::meridian::Variant;

use crate::Outcome;
use crate::client::{Answer, Client, console};

const MOVE_A: &str = "FRSHR=12345-00&TOSHR=12345-10&TRAMT=1000.25&TRMEMO=x";
const MOVE_B: &str = "out-suffix=12345-00&in-suffix=12345-10&move-sum=1000.25&move-why=x";
const MOVE_C: &str = "FRSHR=12345-00&TOSHR=12345-10&TRAMT=1.000,25&TRMEMO=x";

/// A teller of this tenant who looks at 12345, and all screens on the way of a transfer.
async fn tour(variant: Variant) -> Result<(Running, Client, Vec<Answer>), Box<dyn std::error::Error>> {
    let (running, mut client) = console(variant).await?;
    let (sign_on, member, transfer, open) = match variant {
        Variant::B => (
            "usr-code=teller1&usr-phrase=demo123",
            "holder-ref=12345",
            MOVE_B,
            "product-key=HOLIDAY+CLUB&first-sum=50&out-suffix=12345-00",
        ),
        Variant::A => {
            ("OPID=teller1&OPPW=demo123", "MBRNO=12345", MOVE_A, "ACTYP=HOLIDAY+CLUB&OPDEP=50&FRSHR=12345-00")
        }
        Variant::C => {
            ("OPID=teller1&OPPW=demo123", "MBRNO=12345", MOVE_C, "ACTYP=HOLIDAY+CLUB&OPDEP=50&FRSHR=12345-00")
        }
    };
    let mut seen = vec![client.get("/meridian/nav").await?, client.get("/meridian/mi0100").await?];
    assert_eq!(client.post("/meridian/mi0100", sign_on).await?.status, 302);
    for (path, form) in [
        ("mi0200", ""),
        ("mi0210", member),
        ("sa0320", ""),
        ("ln0410", ""),
        ("sa0500", ""),
        ("sa0510", open),
        ("tr0600", ""),
        ("tr0610", transfer),
        ("tr0615", transfer),
        ("tr0620", transfer),
        ("tn0700", ""),
        ("admin", ""),
    ] {
        if path == "tr0615" && variant != Variant::C {
            continue;
        }
        let path = format!("/meridian/{path}");
        seen.push(if form.is_empty() { client.get(&path).await? } else { client.post(&path, form).await? });
    }
    assert!(seen.iter().all(|answer| answer.status == 200));
    Ok((running, client, seen))
}

/// Values of the attributes by which things are told apart.
fn handles(pages: &[Answer]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for page in pages {
        for attribute in [" id=\"", " name=\"", " class=\""] {
            for rest in page.body.split(attribute).skip(1) {
                found.extend(rest.split('"').next().unwrap_or_default().split(' ').map(str::to_owned));
            }
        }
    }
    found
}

#[tokio::test]
async fn the_other_tenant_has_none_of_the_ids_names_and_classes_and_no_tag_at_the_same_place() -> Outcome {
    let (_, _, vendor) = tour(Variant::A).await?;
    let (_, _, other) = tour(Variant::B).await?;
    assert_eq!(vendor.len(), other.len());
    let (of_vendor, of_other) = (handles(&vendor), handles(&other));
    assert!(of_vendor.len() >= 15 && of_other.len() >= 30, "{of_vendor:?} {of_other:?}");
    assert_eq!(of_vendor.intersection(&of_other).collect::<Vec<_>>(), Vec::<&String>::new());
    for (vendor, other) in vendor.iter().zip(&other) {
        assert!(vendor.has("<center>") && !other.has("<center>"), "every path of the vendor's leads through it");
        assert!(!other.has("<font") && !other.has("type=\"submit\" value"));
    }
    Ok(())
}

#[tokio::test]
async fn the_other_tenant_calls_things_otherwise_and_does_the_same() -> Outcome {
    let (_, _, vendor) = tour(Variant::A).await?;
    let (_running, mut client, other) = tour(Variant::B).await?;
    for word in ["Member No.", "Share Accounts", "Inquire", "Post Transfer", "Open Sub-Account", "Balance</"] {
        assert!(vendor.iter().any(|page| page.has(word)), "{word}");
        assert!(!other.iter().any(|page| page.has(&format!(">{word}"))), "{word}");
    }
    for (number, id) in ["MI0100", "MI0200", "MI0210", "SA0320", "LN0410"].into_iter().enumerate() {
        assert!(other[number + 1].has(&format!("<div class=\"hd-code\">{id}</div>")), "{id}");
    }
    assert!(other.iter().any(|page| page.has("TR-0000 TRANSFER POSTED")), "codes are the product's");
    let shares = client.get("/meridian/sa0320").await?;
    assert!(shares.has("<td>184.31</td>") && shares.has("<td>1,845.35</td>"), "{}", shares.body);
    assert!(client.post("/meridian/mi0210", "holder-ref=00000").await?.has("MI-0011"));
    assert!(client.post("/meridian/mi0210", "MBRNO=12345").await?.has("MI-0010"), "the vendor's field is unknown here");
    Ok(())
}

#[tokio::test]
async fn the_third_tenant_has_other_columns_amounts_and_dates_and_asks_twice() -> Outcome {
    let (_running, mut client, seen) = tour(Variant::C).await?;
    let second = seen.iter().find(|page| page.has("TR0615")).ok_or("no second confirmation")?;
    assert!(second.has("value=\"Post Transfer\"") && second.has("1.000,25"));
    let first = seen.iter().find(|page| page.has("TR0610")).ok_or("no confirmation")?;
    assert!(first.has("action=\"/meridian/tr0615\"") && !first.has("Post Transfer"));
    let shares = client.get("/meridian/sa0320").await?;
    let at = |text: &str| shares.body.find(text).unwrap_or(usize::MAX);
    assert!(at(">Available<") < at(">Balance<") && at(">Balance<") < at(">Account Type<"), "{}", shares.body);
    assert!(at("159,31") < at("REGULAR SAVINGS") && at("184,31") < at("REGULAR SAVINGS"), "{}", shares.body);
    assert!(shares.has("14.09.2026") && shares.has("1.845,35") && !shares.has("09/14/2026"));
    Ok(())
}

#[tokio::test]
async fn faults_strike_every_skin() -> Outcome {
    let (running, mut client) = console(Variant::B).await?;
    client.post("/meridian/mi0100", "usr-code=teller1&usr-phrase=demo123").await?;
    running.inject(["interstitial@MI0200".parse()?, "duplicate_control@MI0200".parse()?])?;
    let page = client.get("/meridian/mi0200").await?;
    assert!(page.has("PLANNED DOWNTIME") && page.has(">Go On</button>"));
    assert_eq!(page.times(">Find</button>"), 2);
    Ok(())
}
