//! Starting and stopping.

use std::time::Duration;

use tokio::net::TcpStream;
use waymark_fixture_apps::{Options, StartError, serve_cases, serve_parabank};

use crate::Outcome;

#[tokio::test]
async fn a_port_in_use_is_an_error_that_names_it() -> Outcome {
    let running = serve_parabank(Options::default()).await?;
    let port = running.addr().port();
    let error = match serve_cases(Options { port, ..Options::default() }).await {
        Ok(_) => return Err("two servers on one port".into()),
        Err(error) => error,
    };
    assert!(matches!(error, StartError::PortInUse { port: named } if named == port));
    assert_eq!(error.to_string(), format!("port {port} on 127.0.0.1 is already in use"));
    assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::AddrInUse);
    Ok(())
}

#[tokio::test]
async fn only_the_loopback_address_is_bound() -> Outcome {
    let running = serve_parabank(Options::default()).await?;
    assert!(running.addr().ip().is_loopback());
    assert_eq!(running.base_url(), format!("http://{}/parabank", running.addr()));
    Ok(())
}

#[tokio::test]
async fn a_stop_frees_the_port_even_with_an_idle_connection() -> Outcome {
    let running = serve_parabank(Options::default()).await?;
    let addr = running.addr();
    let _idle = TcpStream::connect(addr).await?;
    tokio::time::timeout(Duration::from_secs(3), running.stop()).await?;
    assert!(TcpStream::connect(addr).await.is_err());
    serve_parabank(Options { port: addr.port(), ..Options::default() }).await?;
    Ok(())
}

#[tokio::test]
async fn a_dropped_instance_stops() -> Outcome {
    let running = serve_parabank(Options::default()).await?;
    let addr = running.addr();
    drop(running);
    let gone = async {
        while TcpStream::connect(addr).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3), gone).await?;
    Ok(())
}

#[tokio::test]
async fn every_instance_has_its_own_key() -> Outcome {
    let (one, other) = (serve_parabank(Options::default()).await?, serve_parabank(Options::default()).await?);
    assert_eq!(one.key().len(), 32);
    assert_ne!(one.key(), other.key());
    Ok(())
}
